import { Controller, Get, Header, NotFoundException, Param, StreamableFile } from '@nestjs/common';
import { AssetsCatalogue } from './assets.catalogue.js';

@Controller('assets')
export class AssetsController {
  constructor(private readonly assets: AssetsCatalogue) {}

  @Get(':name')
  @Header('Cache-Control', 'public, max-age=31536000, immutable')
  get(@Param('name') name: string): StreamableFile {
    const asset = this.assets.find(name);
    if (!asset) throw new NotFoundException();
    return new StreamableFile(asset.content, {
      type: asset.type,
      length: asset.content.length,
    });
  }
}
