package dev.tollgate.server.settings.binding;

import dev.tollgate.server.settings.yaml.ConfigNode;
import dev.tollgate.server.settings.yaml.SourceLocation;

/**
 * A setting given outside the files.
 *
 * @param path dotted; a key that holds a dot may be quoted: {@code models."a/b-1.5".price}
 * @param origin PLAIN where the text is interpolated as in a file, OUTSIDE where it is meant as is
 */
public record SettingOverride(
    String path, String text, ConfigNode.Origin origin, SourceLocation location) {}
