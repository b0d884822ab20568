import { Body, Controller, HttpStatus, Injectable, Post, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { LoopbackGuard } from './loopback.guard.js';

/** For practice only. It breaks the listener that stores the money of the till, so that you can see and replay dead letters. */
@Injectable()
export class TillSwitch {
  isBroken = false;

  /** @throws Error while the listener is broken */
  check(): void {
    if (this.isBroken) throw new Error('the listener is broken: repair it on the page of the till');
  }
}

/** Only practice has this route. */
@Controller('till/listener')
@UseGuards(LoopbackGuard)
export class TillSwitchController {
  constructor(private readonly till: TillSwitch) {}

  @Post()
  turn(@Body('action') action: unknown, @Res() response: Response): void {
    this.till.isBroken = action === 'break';
    response.redirect(HttpStatus.SEE_OTHER, '/till');
  }
}
