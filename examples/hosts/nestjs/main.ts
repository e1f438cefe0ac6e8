import 'reflect-metadata';
import { chairsideHandler } from '@chairside/h3';
import { nodeListener } from '@chairside/h3/node';
import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { authenticate, chairside, close, port, tap } from '../shop/on-disk.ts';

@Controller()
class ShopController {
  @Get()
  home() {
    return 'Marlow & Sons, barbers';
  }

  @Post('tap')
  tap(@Body('clientSecret') clientSecret: string) {
    return tap(clientSecret);
  }
}

@Module({ controllers: [ShopController] })
class ShopModule {}

const app = await NestFactory.create(ShopModule, { logger: ['error'] });

// #region mount
const payments = chairsideHandler(chairside, { authenticate, basePath: '/payments' });
app.use('/payments', nodeListener(payments)); // before Nest registers its body parsers
// #endregion

await app.listen(port, '127.0.0.1');
process.once('SIGTERM', () => app.close().then(close));
