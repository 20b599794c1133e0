package dev.tollgate.server.settings.binding;

import dev.tollgate.server.settings.yaml.ConfigNode;
import dev.tollgate.server.settings.yaml.SourceLocation;

/**
 * Value of one setting from an environment variable or {@code --set} option, which overrides the
 * files.
 *
 * @param path dotted; a key with a dot may be quoted: {@code models."a/b-1.5".price}
 * @param origin PLAIN if the text is interpolated as in a file, EXTERNAL if it is final
 */
public record SettingOverride(
    String path, String text, ConfigNode.Origin origin, SourceLocation location) {}
