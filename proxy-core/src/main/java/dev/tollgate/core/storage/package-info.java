/** What providers made, kept for clients for a while: names, signed URLs, S3. */
@NullMarked
package dev.tollgate.core.storage;

import org.jspecify.annotations.NullMarked;
