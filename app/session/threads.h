// The threads that parallel work runs on are started before there is work, for then it can be said that the
// system refuses some.
#pragma once

namespace scanlens {

/// Starts oneTBB's threads, and returns how many share parallel work from now on, the calling one among them:
/// `wanted`, or fewer where limits on memory (ulimit -v, -d) or on processes (ulimit -u, a container's) allow
/// no more. Not safe for use by two threads at once.
///
/// oneTBB starts its threads when work comes, from one another. When one of them cannot be started it ends
/// the program, without an exception. It starts none after this.
int start_threads(int wanted);

}  // namespace scanlens
