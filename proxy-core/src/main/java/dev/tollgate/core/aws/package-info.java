/**
 * Access keys of AWS and the signatures of requests to its services: models, and the storage of
 * outputs.
 */
@NullMarked
package dev.tollgate.core.aws;

import org.jspecify.annotations.NullMarked;
