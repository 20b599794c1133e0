/**
 * Tools and schemas of chats in the form that a provider takes: names, choice, older functions, and
 * reduced schemas. Calls in replies are brought back to the client's form.
 */
@NullMarked
package dev.tollgate.core.dialect.tool;

import org.jspecify.annotations.NullMarked;
