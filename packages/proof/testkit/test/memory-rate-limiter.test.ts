import { createMemoryRateLimiter } from '@chairside/core';
import { rateLimiterContract } from '../src/contracts.ts';

rateLimiterContract('The rate limiter in memory', async () => [createMemoryRateLimiter()]);
