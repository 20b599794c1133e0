/**
 * How people and their automation prove who they are: passwords, sessions, control tokens, links in
 * mails, the throttle of failed tries, and the services of one's own account.
 */
@NullMarked
package dev.tollgate.server.account.signin;

import org.jspecify.annotations.NullMarked;
