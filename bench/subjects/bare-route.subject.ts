/** Baseline: a Nest route that only checks the HMAC of the raw body. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  Controller,
  HttpCode,
  Module,
  Post,
  Req,
  UnauthorizedException,
  type RawBodyRequest,
} from '@nestjs/common';
import { API_KEY } from '../bench.constants.js';
import { createApplication, listen } from './payments.application.js';
import type { PlatformName } from '../platforms.js';
import { host, settingsOf } from './subject.host.js';

const { platform } = settingsOf<{ platform: PlatformName }>();

@Controller()
class BareController {
  @Post('payments/webhooks')
  @HttpCode(200)
  receive(@Req() { headers, rawBody }: RawBodyRequest<{ headers: IncomingHttpHeaders }>): void {
    const given = Buffer.from(String(headers['x-kopokopo-signature']), 'hex');
    const expected = createHmac('sha256', API_KEY)
      .update(rawBody ?? '')
      .digest();
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new UnauthorizedException();
    }
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

const app = await createApplication(BareModule, platform, { rawBody: true });
const url = await listen(app);
host({ url: () => url }, () => app.close());
