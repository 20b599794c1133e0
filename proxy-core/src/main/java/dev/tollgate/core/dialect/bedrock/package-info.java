/** Dialect of Amazon Bedrock's Converse API, and of Titan's embeddings. */
@NullMarked
package dev.tollgate.core.dialect.bedrock;

import org.jspecify.annotations.NullMarked;
