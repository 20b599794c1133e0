/** Text of a configuration: nodes with their locations, and the problems found in them. */
@NullMarked
package dev.tollgate.server.settings.yaml;

import org.jspecify.annotations.NullMarked;
