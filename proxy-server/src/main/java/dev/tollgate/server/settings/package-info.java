/** The configuration: its records, the one loader and what becomes of them in the core. */
@NullMarked
package dev.tollgate.server.settings;

import org.jspecify.annotations.NullMarked;
