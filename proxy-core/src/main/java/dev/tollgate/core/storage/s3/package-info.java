/** Object storage with the S3 protocol. */
@NullMarked
package dev.tollgate.core.storage.s3;

import org.jspecify.annotations.NullMarked;
