import { randomUUID } from 'node:crypto';
import { Controller, Get, NotFoundException, Param, Query } from '@nestjs/common';
import { CheckoutPage } from '../orders/checkout.page.js';
import { fieldText } from '../orders/checkout.form.js';
import { HtmlPage } from '../web/html-page.decorator.js';
import { PageLayout, pageTitle } from '../web/page.layout.js';
import { findGoods } from './goods.catalogue.js';
import { ShopSetup } from '../shop.setup.js';
import { placesOf } from '../web/places.catalogue.js';
import { storefrontPage } from './storefront.page.js';

@Controller()
export class GoodsController {
  constructor(
    private readonly layout: PageLayout,
    private readonly checkout: CheckoutPage,
    private readonly setup: ShopSetup,
  ) {}

  @Get()
  @HtmlPage()
  storefront(): string {
    const body = storefrontPage(placesOf(this.setup.practice));
    return this.layout.render({ title: pageTitle('Shop'), place: 'shop', body });
  }

  /** `phone` fills the field in: how the practice phones work without JavaScript. */
  @Get('goods/:id')
  @HtmlPage()
  goods(@Param('id') id: string, @Query('phone') phone: unknown): string {
    const goods = findGoods(id);
    if (!goods) throw new NotFoundException();
    return this.checkout.render({
      goods,
      ticket: randomUUID(),
      values: { name: '', phone: fieldText(phone) },
      problems: {},
    });
  }
}
