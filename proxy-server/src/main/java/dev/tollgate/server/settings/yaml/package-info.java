/** The text of a configuration: nodes that know their place, and the problems found in them. */
@NullMarked
package dev.tollgate.server.settings.yaml;

import org.jspecify.annotations.NullMarked;
