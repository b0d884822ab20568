export function blockBelow(page: string, heading: string, language: string): string;
