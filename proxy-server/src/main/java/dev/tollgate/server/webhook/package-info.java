/** Delivery of webhooks to receivers. */
@NullMarked
package dev.tollgate.server.webhook;

import org.jspecify.annotations.NullMarked;
