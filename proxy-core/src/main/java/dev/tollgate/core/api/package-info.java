/**
 * Requests and replies of the API endpoints: parsing, validation, estimates, edits and reply
 * formats.
 */
@NullMarked
package dev.tollgate.core.api;

import org.jspecify.annotations.NullMarked;
