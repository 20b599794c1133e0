/** The client side: the pipeline's handlers and the gateway that binds them. */
@NullMarked
package dev.tollgate.core.pipeline;

import org.jspecify.annotations.NullMarked;
