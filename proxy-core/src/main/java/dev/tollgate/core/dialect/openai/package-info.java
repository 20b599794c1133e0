/** The dialect of OpenAI and compatible servers, Azure included: nothing is translated. */
@NullMarked
package dev.tollgate.core.dialect.openai;

import org.jspecify.annotations.NullMarked;
