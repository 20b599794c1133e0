/** Outputs of providers, kept for clients for a limited time: names, signed URLs, stores. */
@NullMarked
package dev.tollgate.core.storage;

import org.jspecify.annotations.NullMarked;
