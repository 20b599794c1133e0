/**
 * Vocabulary of the control plane: who calls, what they may do in which organization, how a call is
 * refused, and how a change is audited. Services in the packages below take a {@code Caller} or an
 * {@code OrgAccess}; HTTP and the command line call the same methods.
 */
@NullMarked
package dev.tollgate.server.account;

import org.jspecify.annotations.NullMarked;
