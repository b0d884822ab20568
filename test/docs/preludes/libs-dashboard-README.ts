/** The code of libs/dashboard/README.md uses these names without declaring them. */

export { Injectable, Module, type CanActivate, type ExecutionContext } from '@nestjs/common';
export { PaymentsDashboardModule } from '@tillkit/dashboard';
export { PaymentsModule } from '@tillkit/payments';

export interface SignedInRequest {
  headers: { cookie?: string };
  user: { email: string; mayReadPayments: boolean; mayMoveMoney: boolean; shops: string[] };
  params: { account?: string };
}

export declare class OperatorsGuard {
  canActivate(): boolean;
}

export declare class MayMoveMoneyGuard {
  canActivate(): boolean;
}

export declare class ShopOperatorsGuard {
  canActivate(): boolean;
}

export declare class Sessions {
  of(cookie: string | undefined): Promise<SignedInRequest['user']>;
}

export declare class SessionsModule {}

/** A decorator of the application, which its global guard reads. */
export declare const Public: () => ClassDecorator & MethodDecorator;
