package dev.tollgate.server.settings;

/** HTTP API that an Azure resource offers, with the request path and query that it requires. */
public enum AzureApi {
  DEPLOYMENTS("/openai/deployments/{deployment}", true),
  V1("/openai/v1", false),
  MODELS("/models", true);

  private final String path;
  private final boolean versioned;

  AzureApi(String path, boolean versioned) {
    this.path = path;
    this.versioned = versioned;
  }

  /** Returns the path after the base URL of the resource. */
  String path() {
    return path;
  }

  /** Returns the end of every request target. */
  String query(String version) {
    return versioned ? "?api-version=" + version : "";
  }
}
