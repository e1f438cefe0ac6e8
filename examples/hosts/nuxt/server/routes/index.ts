import { defineEventHandler } from 'h3';

export default defineEventHandler(() => 'Marlow & Sons, barbers');
