import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AssetsService } from '../assets/assets.service.js';
import { LiveService } from '../live/live.service.js';
import { DashboardPaths } from './dashboard-paths.service.js';

/** Providers that an application has once, however many dashboards it has. */
@Module({
  imports: [DiscoveryModule],
  providers: [DashboardPaths, AssetsService, LiveService],
  exports: [DiscoveryModule, DashboardPaths, AssetsService, LiveService],
})
export class DashboardSharedModule {}
