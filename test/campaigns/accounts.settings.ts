/** The settings of a replica that serves many shops, passed in its environment variables. */
export interface ShopsReplicaSettings {
  name: string;
  port: number;
  databaseUrl: string;
  baseUrl: string;
  publicUrl: string;
}

/** A row of the host's table of shops. */
export interface ShopRow {
  name: string;
  till: string;
  client_id: string;
  client_secret: string;
  api_keys: string[];
}
