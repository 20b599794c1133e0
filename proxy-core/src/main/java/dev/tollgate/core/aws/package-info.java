/** Keys of AWS, and its signature of a request: models and stored outputs use the same. */
@NullMarked
package dev.tollgate.core.aws;

import org.jspecify.annotations.NullMarked;
