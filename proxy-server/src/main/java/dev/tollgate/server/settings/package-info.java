/** Configuration: its records, loader and checks, and the catalog that is built from it. */
@NullMarked
package dev.tollgate.server.settings;

import org.jspecify.annotations.NullMarked;
