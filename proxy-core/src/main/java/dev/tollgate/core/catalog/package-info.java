/** What can be called: models, providers and routes, one immutable snapshot. */
@NullMarked
package dev.tollgate.core.catalog;

import org.jspecify.annotations.NullMarked;
