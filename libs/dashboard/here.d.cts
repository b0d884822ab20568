export declare function resolveFromHere(name: string): string;
