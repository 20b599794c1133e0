package dev.tollgate.server.settings;

/** An interface of an Azure resource. */
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

  /** Behind the address of the resource. */
  String path() {
    return path;
  }

  /** What every target ends with. */
  String query(String version) {
    return versioned ? "?api-version=" + version : "";
  }
}
