/** The code of libs/pages/README.md uses these names without declaring them. */
export declare const customer: { name: string };
export declare const FAVICON: string;
export declare const request: { headers: Record<string, string | undefined> };
