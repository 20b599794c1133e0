/** Blob store in buckets of S3-compatible object storage. */
@NullMarked
package dev.tollgate.core.storage.s3;

import org.jspecify.annotations.NullMarked;
