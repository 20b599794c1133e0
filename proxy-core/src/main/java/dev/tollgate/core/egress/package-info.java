/** What clients' URLs point to: looked up, checked, and fetched under limits. */
@NullMarked
package dev.tollgate.core.egress;

import org.jspecify.annotations.NullMarked;
