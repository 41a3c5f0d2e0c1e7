#!/usr/bin/env python3
"""Standard headers are included, not hoped for: what one library's headers bring along, the next version's do not."""
import re
import unittest

from house_tree import FOLDERS, HouseTest, files, includes, name_of, without_comments

# The names of std:: that each header declares and the project may use. A name that stands behind several headers is
# declared by each. std::size_t and those names that every container's header declares (std::begin, std::data) are left out.
DECLARES = {
    "algorithm": """adjacent_find all_of any_of binary_search clamp copy copy_backward copy_if copy_n count count_if equal
        equal_range fill fill_n find find_if find_if_not for_each for_each_n generate generate_n includes inplace_merge
        is_sorted lexicographical_compare lower_bound max max_element merge min min_element minmax minmax_element mismatch
        move_backward none_of nth_element partial_sort partition partition_copy partition_point pop_heap push_heap
        remove_if replace replace_if reverse reverse_copy rotate rotate_copy search set_difference set_intersection
        set_union shuffle sort stable_partition stable_sort swap_ranges transform unique unique_copy upper_bound""",
    "any": "any any_cast bad_any_cast",
    "array": "array to_array",
    "atomic": """atomic atomic_flag atomic_ref atomic_signal_fence atomic_thread_fence memory_order memory_order_acq_rel
        memory_order_acquire memory_order_relaxed memory_order_release memory_order_seq_cst""",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero endian has_single_bit popcount rotl rotr",
    "cctype": "isalnum isalpha isdigit isprint ispunct isspace isxdigit",
    "charconv": "chars_format from_chars from_chars_result to_chars to_chars_result",
    "chrono": "chrono chrono_literals",
    "cmath": """acos asin atan atan2 cbrt ceil copysign cos cosh exp exp2 fabs floor fma fmax fmin fmod frexp hypot ilogb
        isfinite isinf isnan ldexp lerp llround log log10 log1p log2 lrint lround nan nearbyint nextafter pow remainder
        rint round scalbn signbit sin sinh sqrt tan tanh trunc""",
    "complex": "complex polar",
    "concepts": """convertible_to copy_constructible copyable derived_from floating_point integral invocable
        move_constructible movable predicate regular same_as signed_integral unsigned_integral""",
    "condition_variable": "condition_variable condition_variable_any",
    "cstdint": """int8_t int16_t int32_t int64_t intmax_t intptr_t uint8_t uint16_t uint32_t uint64_t uintmax_t
        uintptr_t""",
    "cstdio": "FILE fclose fflush fgets fopen fprintf fputc fputs fread fseek fwrite perror printf puts remove rename snprintf",
    "cstdlib": "abort atexit atoi exit free getenv malloc quick_exit realloc strtod strtol strtoul strtoull system",
    "cstring": "memchr memcmp memcpy memmove memset strchr strcmp strerror strlen strncmp strrchr strstr",
    "deque": "deque",
    "exception": "current_exception exception_ptr make_exception_ptr rethrow_exception set_terminate terminate",
    "exception stdexcept": "exception",
    "filesystem": "filesystem",
    "fstream": "fstream ifstream ofstream",
    "functional": """bind bit_and bit_or bit_xor cref divides equal_to function greater greater_equal invoke less_equal minus
        modulus multiplies negate not_fn plus ref reference_wrapper""",
    "functional map set": "less",
    "future": "async future packaged_task promise shared_future",
    "iomanip": "quoted setfill setprecision setw",
    "iosfwd fstream istream sstream": "istream",
    "iosfwd fstream ostream sstream": "ostream",
    "iostream": "cerr cin clog cout",
    "iterator": """back_inserter distance forward_iterator_tag input_iterator_tag inserter istreambuf_iterator
        iterator_traits make_move_iterator next ostream_iterator prev random_access_iterator random_access_iterator_tag
        reverse_iterator""",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": """addressof align allocator construct_at default_delete destroy_at make_shared make_unique shared_ptr
        unique_ptr weak_ptr""",
    "mutex": "adopt_lock call_once defer_lock lock_guard mutex once_flag recursive_mutex scoped_lock try_to_lock unique_lock",
    "new": "align_val_t bad_alloc launder nothrow",
    "numbers": "numbers",
    "numeric": """accumulate adjacent_difference exclusive_scan gcd inclusive_scan inner_product iota lcm midpoint partial_sum
        reduce transform_reduce""",
    "optional": "make_optional nullopt nullopt_t optional",
    "queue": "priority_queue queue",
    "random": "bernoulli_distribution mt19937 mt19937_64 normal_distribution uniform_int_distribution uniform_real_distribution",
    "ranges": "views",
    "regex": "regex regex_match regex_replace regex_search smatch",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "domain_error invalid_argument length_error logic_error out_of_range overflow_error range_error runtime_error",
    "string": "basic_string char_traits getline stod stof stoi stol stoul stoull string to_string u32string",
    "string_view": "basic_string_view string_view",
    "system_error": """errc error_category error_code error_condition generic_category make_error_code system_category
        system_error""",
    "thread": "jthread this_thread thread",
    "tuple": "apply forward_as_tuple ignore make_tuple tie tuple tuple_cat",
    "type_traits": """add_const_t bool_constant common_type_t conditional_t decay_t enable_if_t false_type integral_constant
        invoke_result_t is_arithmetic_v is_base_of_v is_class_v is_const_v is_convertible_v is_empty_v is_enum_v
        is_floating_point_v is_integral_v is_invocable_r_v is_invocable_v is_pointer_v is_same is_same_v is_signed_v
        is_trivially_copyable_v is_unsigned_v is_void_v make_signed_t make_unsigned_t remove_const_t remove_cv_t
        remove_cvref_t remove_extent_t remove_pointer_t remove_reference_t true_type type_identity type_identity_t
        underlying_type_t void_t""",
    "typeindex": "type_index",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": """as_const declval exchange forward in_range index_sequence integer_sequence make_index_sequence
        make_integer_sequence move""",
    "utility array": "swap",
    "utility map unordered_map": "make_pair pair",
    "variant": "bad_variant_access get_if holds_alternative monostate variant visit",
    "vector": "vector",
}
HEADERS = {name: set(headers.split()) for headers, names in DECLARES.items() for name in names.split()}

# A loop over a list in braces needs <initializer_list>, which by the standard these headers include.
HEADERS["initializer_list"] = set("""algorithm array deque initializer_list list map queue random ranges regex set stack string
    unordered_map unordered_set utility vector""".split())
LIST_LOOP = re.compile(r"\bfor\s*\([^;{}()]*:\s*\{")
STRING = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"', re.DOTALL)


class Includes(HouseTest):
    @classmethod
    def setUpClass(cls):
        paths = [path for folder in FOLDERS for path in files(folder)]
        cls.includes = {name_of(path): [re.sub(r"^scanlens/(?!filters/)(core/)?", "core/", name).removeprefix("scanlens/") for _, _, name in includes(path)] for path in paths}
        cls.texts = {name_of(path): STRING.sub('""', without_comments(path.read_text())) for path in paths}

    def reached(self, name, seen):
        """The names of all that a file of the project includes, itself or by other files of the project."""
        for included in self.includes.get(name, ()):
            if included not in seen:
                seen.add(included)
                self.reached(included, seen)
        return seen

    def test_a_file_reaches_the_header_of_each_name_by_files_of_the_project(self):
        complaints = []
        for file, text in self.texts.items():
            reached = self.reached(file, set())
            names = set(re.findall(r"\bstd::(\w+)", text)) & HEADERS.keys()
            if LIST_LOOP.search(text):
                names.add("initializer_list")
            complaints += (
                f"{file}: std::{name} needs <{'> or <'.join(sorted(HEADERS[name]))}>"
                for name in sorted(names)
                if not HEADERS[name] & reached)
        self.expect_none(complaints)


if __name__ == "__main__":
    unittest.main()
