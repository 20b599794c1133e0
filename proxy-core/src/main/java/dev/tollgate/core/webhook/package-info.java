/** Webhooks of finished media jobs: outbox, signature, retry schedule and delivery outcome. */
@NullMarked
package dev.tollgate.core.webhook;

import org.jspecify.annotations.NullMarked;
