package dev.tollgate.server.settings.yaml;

/** Text form of paths: {@code models.openai/gpt-4o-mini.routes[0].provider}. */
public final class SettingPaths {
  private SettingPaths() {}

  public static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  public static String item(String path, int index) {
    return path + "[" + index + "]";
  }
}
