import { createMemoryRateLimiter } from '@chairside/core';
import { rateLimiterContract } from '../src/index.ts';

rateLimiterContract('The rate limiter in memory', async () => [createMemoryRateLimiter()]);
