/** What the code of libs/pages/README.md leaves out. */
export declare const customer: { name: string };
export declare const FAVICON: string;
export declare const request: { headers: Record<string, string | undefined> };
