/** The Amazon Bedrock Converse dialect. */
@NullMarked
package dev.tollgate.core.dialect.bedrock;

import org.jspecify.annotations.NullMarked;
