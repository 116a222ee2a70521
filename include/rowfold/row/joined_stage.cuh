// SPDX-License-Identifier: MIT
// One stage that folds a row in several ways at once: each granule is unpacked once and goes to every fold.
//
// Its members are granule folds: empty value types like the folds of folds/, but fed a granule at a time, so that a sum
// may add the values of a granule in pairs:
//
//   using state_type = ...;                                  // trivially copyable, at most 16 bytes
//   state_type identity() const;                             // of no granule
//   void add(state_type&, values, position) const;           // one granule; columns never decrease
//   state_type operator()(state_type a, state_type b) const; // merges; a: the earlier columns
// or, where states merge better some other way,
//   static constexpr bool reduces_itself = true;
//   state_type all_reduce(group, state) const;               // the state of all lanes, the same bits in each of them
// (reduces_alone in place of reduces_itself: they merge better so, but not than together with other members' states)
//
// each_element makes one of a fold over single elements. The states of all members may be any size together: lanes
// merge as many of them at a time as fit 16 bytes. A member's bits do not depend on the others. All threads of a group
// call a stage's functions together; the result lives in every one of them.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/folds/fold.cuh"
#include "rowfold/row/row_group.cuh"
#include "rowfold/row/stages.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// A fold over elements (folds/fold.cuh) as a granule fold.
template <class Fold>
struct each_element : Fold {
  using state_type = typename Fold::state;

  template <int N, class Acc, class Position>
  ROWFOLD_DEVICE void add(state_type& s, const vec<Acc, N>& x, const Position& position) const {
    position.template for_each_column<N>([&](int i) { Fold::add(s, x[i], position.column + i); });
  }
};

// The state of each of the granule folds, in order.
template <class First, class... Rest>
struct joined_states {
  typename First::state_type first;
  joined_states<Rest...> rest;
};
template <class Only>
struct joined_states<Only> {
  typename Only::state_type first;
};

// The state of the granule fold Member among them.
template <class Member, class First, class... Rest>
ROWFOLD_DEVICE const typename Member::state_type& state_of(const joined_states<First, Rest...>& states) {
  if constexpr (is_same<Member, First>) {
    return states.first;
  } else {
    return state_of<Member>(states.rest);
  }
}

// Merges two lanes' states member by member.
template <class First, class... Rest>
struct merge_joined {
  template <class>
  static constexpr bool commutative = (is_commutative<First, typename First::state_type> && ... &&
                                       is_commutative<Rest, typename Rest::state_type>);

  ROWFOLD_DEVICE joined_states<First, Rest...> operator()(const joined_states<First, Rest...>& a,
                                                          const joined_states<First, Rest...>& b) const {
    if constexpr (sizeof...(Rest) == 0) {
      return {First{}(a.first, b.first)};
    } else {
      return {First{}(a.first, b.first), merge_joined<Rest...>{}(a.rest, b.rest)};
    }
  }
};

namespace detail {
template <class Member, class = void>
inline constexpr bool reduces_itself = false;
template <class Member>
inline constexpr bool reduces_itself<Member, enable_if_t<Member::reduces_itself>> = true;
template <class Member, class = void>
inline constexpr bool reduces_alone = reduces_itself<Member>;
template <class Member>
inline constexpr bool reduces_alone<Member, enable_if_t<Member::reduces_alone>> = true;
}  // namespace detail

// The stage. Its result is the states of the whole row: state_of<Member>(result).
template <class... Members>
struct joined_stage {
  using state_type = joined_states<Members...>;
  static constexpr bool loads_first = false;
  // A granule stays unpacked until every fold has seen it. States of more than 16 bytes, and what is computed of them,
  // take two registers for each four bytes (measured with all statistics at once, so that nothing is spilled).
  static constexpr int more_registers =
      12 + (sizeof(state_type) > 16 ? static_cast<int>(sizeof(state_type) - 16) / 2 : 0);

  template <class Source, class Row, class Previous>
  ROWFOLD_DEVICE no_result begin(const Source&, const Row&, const Previous&) const {
    return {};
  }
  ROWFOLD_DEVICE state_type identity() const { return identities<Members...>(); }
  template <class Values, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const Values& x, const Position& position, const no_result&) const {
    add_to(state, x, position);
  }
  template <class Group>
  ROWFOLD_DEVICE state_type all_reduce(Group& group, const state_type& states) const {
    return reduce(group, states);
  }
  template <class Previous>
  ROWFOLD_DEVICE state_type finish(const state_type& total, const no_result&, const Previous&) const {
    return total;
  }

 private:
  template <class Group, class First, class... Rest>
  static ROWFOLD_DEVICE auto reduce_first(Group& group, const joined_states<First, Rest...>& states) {
    if constexpr (detail::reduces_alone<First>) {
      return First{}.all_reduce(group, states.first);
    } else {
      return group.all_reduce(states.first, First{});
    }
  }

  // One reduction for all members if they fit, else one for the first, and on with the others.
  template <class Group, class First, class... Rest>
  static ROWFOLD_DEVICE joined_states<First, Rest...> reduce(Group& group,
                                                             const joined_states<First, Rest...>& states) {
    constexpr bool themselves = detail::reduces_itself<First> || (detail::reduces_itself<Rest> || ...) ||
                                (sizeof...(Rest) == 0 && detail::reduces_alone<First>);
    if constexpr (sizeof(states) <= row_group_storage::max_state_bytes && !themselves) {
      return group.all_reduce(states, merge_joined<First, Rest...>{});
    } else {
      const auto first = reduce_first(group, states);
      if constexpr (sizeof...(Rest) == 0) {
        return {first};
      } else {
        return {first, reduce(group, states.rest)};
      }
    }
  }

  template <class First, class... Rest>
  static ROWFOLD_DEVICE joined_states<First, Rest...> identities() {
    if constexpr (sizeof...(Rest) == 0) {
      return {First{}.identity()};
    } else {
      return {First{}.identity(), identities<Rest...>()};
    }
  }
  template <class First, class... Rest, class Values, class Position>
  static ROWFOLD_DEVICE void add_to(joined_states<First, Rest...>& states, const Values& x, const Position& position) {
    First{}.add(states.first, x, position);
    if constexpr (sizeof...(Rest) > 0) add_to(states.rest, x, position);
  }
};

namespace detail {

template <class Joined, class Member>
struct join_unless_there;
template <class... Members, class Member>
struct join_unless_there<joined_stage<Members...>, Member> {
  template <bool There, class>
  struct choose {
    using type = joined_stage<Members...>;
  };
  template <class Added>
  struct choose<false, Added> {
    using type = joined_stage<Members..., Added>;
  };
  using type = typename choose<(is_same<Members, Member> || ...), Member>::type;
};

template <class Joined, class... Members>
struct join_all {
  using type = Joined;
};
template <class Joined, class First, class... Rest>
struct join_all<Joined, First, Rest...> {
  using type = typename join_all<typename join_unless_there<Joined, First>::type, Rest...>::type;
};

}  // namespace detail

// A joined stage with these granule folds besides, each of them once: join<joined_stage<>, A, B, A> has A and B.
template <class Joined, class... Members>
using join = typename detail::join_all<Joined, Members...>::type;

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
