import { randomUUID } from 'node:crypto';
import { Controller, Get, NotFoundException, Param, Query } from '@nestjs/common';
import { fieldText } from '../orders/checkout.form.js';
import { checkoutPage } from '../orders/checkout.page.js';
import { ShopSettings } from '../shop.settings.js';
import { findGoods } from './goods-catalogue.js';
import { storefrontPage } from './storefront.page.js';

@Controller()
export class GoodsController {
  constructor(private readonly settings: ShopSettings) {}

  @Get()
  storefront(): string {
    return storefrontPage(this.settings);
  }

  /** The buttons of practice phones send the name that is in the form, and the phone to fill in. */
  @Get('goods/:id')
  checkout(@Param('id') id: string, @Query() form: Readonly<Record<string, unknown>>): string {
    const goods = findGoods(id);
    if (!goods) throw new NotFoundException();
    return checkoutPage(
      {
        goods,
        ticket: randomUUID(),
        name: fieldText(form['name']),
        phone: fieldText(form['practice']),
        problems: {},
      },
      this.settings,
    );
  }
}
