import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AssetsService } from '../assets/assets.service.js';
import { FormCaptureService } from '../web/form-capture.service.js';
import { DashboardPaths } from './dashboard-paths.service.js';

/** Providers that an application has once, however many dashboards it has. */
@Module({
  imports: [DiscoveryModule],
  providers: [DashboardPaths, FormCaptureService, AssetsService],
  exports: [DiscoveryModule, DashboardPaths, AssetsService],
})
export class DashboardSharedModule {}
