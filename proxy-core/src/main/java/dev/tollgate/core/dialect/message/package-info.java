/**
 * Messages of the assistant in the form that a provider takes: a begun answer, and members that
 * only other providers have.
 */
@NullMarked
package dev.tollgate.core.dialect.message;

import org.jspecify.annotations.NullMarked;
