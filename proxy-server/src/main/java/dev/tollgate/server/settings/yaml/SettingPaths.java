package dev.tollgate.server.settings.yaml;

/**
 * Builder of setting paths in messages, such as {@code
 * models.openai/gpt-4o-mini.routes[0].provider}.
 */
public final class SettingPaths {
  private SettingPaths() {}

  public static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  public static String item(String path, int index) {
    return path + "[" + index + "]";
  }
}
