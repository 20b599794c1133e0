/**
 * Access keys of AWS and their request signatures, for models on Bedrock and for stored outputs on
 * S3.
 */
@NullMarked
package dev.tollgate.core.aws;

import org.jspecify.annotations.NullMarked;
