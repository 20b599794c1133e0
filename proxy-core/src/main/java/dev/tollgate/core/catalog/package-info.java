/**
 * Catalog of models, providers and routes: one immutable snapshot, built from the configuration and
 * replaced as a whole by a reload.
 */
@NullMarked
package dev.tollgate.core.catalog;

import org.jspecify.annotations.NullMarked;
