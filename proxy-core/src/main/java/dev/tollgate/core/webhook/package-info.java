/** Webhooks of finished jobs: signature, retry schedule, and the meaning of receivers' replies. */
@NullMarked
package dev.tollgate.core.webhook;

import org.jspecify.annotations.NullMarked;
