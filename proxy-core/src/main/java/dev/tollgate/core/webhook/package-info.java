/** Announcements of finished jobs: signed, scheduled, and judged by what receivers answer. */
@NullMarked
package dev.tollgate.core.webhook;

import org.jspecify.annotations.NullMarked;
