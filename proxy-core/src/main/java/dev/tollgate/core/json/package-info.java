/**
 * JSON as byte ranges: strict validation, member offsets, and edits that leave every other byte
 * unchanged (ARCHITECTURE, idea 3).
 */
@NullMarked
package dev.tollgate.core.json;

import org.jspecify.annotations.NullMarked;
