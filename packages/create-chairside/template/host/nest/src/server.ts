import 'reflect-metadata';
import { nodeListener } from '@chairside/h3/node';
import { Controller, Get, Module } from '@nestjs/common';
//#if fake
import { Body, Post } from '@nestjs/common';
//#end
import { NestFactory } from '@nestjs/core';
import { openProcessor } from './processor.ts';
import { openShop } from './shop.ts';

const payer = openProcessor();
const shop = await openShop(payer);

@Controller()
class ShopController {
  @Get('appointments')
  list() {
    return shop.appointments.list();
  }
  //#if fake

  @Post('tap')
  tap(@Body('clientSecret') clientSecret: string) {
    return payer.tap(clientSecret);
  }
  //#end
}

@Module({ controllers: [ShopController] })
class ShopModule {}

const app = await NestFactory.create(ShopModule, { logger: ['error'] });
app.use('/payments', nodeListener(shop.payments)); // before Nest registers its body parsers

const port = Number(process.env['PORT'] ?? 3100);
await app.listen(port, '127.0.0.1');
console.log(`listening on ${port}`);
process.once('SIGTERM', () => app.close().then(shop.close));
