import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AssetsService } from '../assets/assets.service.js';
import { LiveService } from '../live/live.service.js';
import { OpenFiles } from '../web/open-files.service.js';
import { DashboardPaths } from './dashboard-paths.service.js';

/** Providers that an application has once, however many dashboards it has. */
@Module({
  imports: [DiscoveryModule],
  providers: [DashboardPaths, AssetsService, LiveService, OpenFiles],
  exports: [DiscoveryModule, DashboardPaths, AssetsService, LiveService, OpenFiles],
})
export class DashboardSharedModule {}
