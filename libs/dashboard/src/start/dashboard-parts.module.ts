import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AssetsCatalogue } from '../assets/assets.catalogue.js';
import { FormCapture } from '../web/form.capture.js';
import { DashboardPlaces } from './dashboard-places.registry.js';

/** What an application has once, whatever number of dashboards it has. */
@Module({
  imports: [DiscoveryModule],
  providers: [DashboardPlaces, FormCapture, AssetsCatalogue],
  exports: [DiscoveryModule, DashboardPlaces, AssetsCatalogue],
})
export class DashboardPartsModule {}
