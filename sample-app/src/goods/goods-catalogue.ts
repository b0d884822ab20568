import type { Amount } from '@tillkit/payments';

/** An article of the shop. Its picture is `public/pictures/<id>.svg`. */
export interface Goods {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly price: Amount;
}

const kes = (value: string): Amount => ({ currency: 'KES', value });

export const GOODS: readonly Goods[] = [
  {
    id: 'coffee',
    name: 'Nyeri coffee',
    text: 'Whole beans, roasted on Monday. 250 g.',
    price: kes('650.00'),
  },
  {
    id: 'honey',
    name: 'Acacia honey',
    text: 'Raw, from Baringo. 500 g jar.',
    price: kes('780.00'),
  },
  {
    id: 'basket',
    name: 'Kiondo basket',
    text: 'Sisal, woven by hand, leather straps.',
    price: kes('2400.00'),
  },
  {
    id: 'tea',
    name: 'Purple tea',
    text: 'Loose leaf from Kericho. 100 g.',
    price: kes('420.00'),
  },
  {
    id: 'kikoi',
    name: 'Kikoi cloth',
    text: 'Striped cotton from Lamu. 170 × 100 cm.',
    price: kes('1250.00'),
  },
  {
    id: 'mango',
    name: 'Two mangoes',
    text: 'Ngowe, ripe today.',
    price: kes('90.00'),
  },
];

export function findGoods(id: string): Goods | undefined {
  return GOODS.find((goods) => goods.id === id);
}
